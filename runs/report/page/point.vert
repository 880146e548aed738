#version 300 es
/* point.vert - a particle: its place in two snapshots, blended. Coordinates are stored as asinh (runs/report/report_replay.c). */
precision highp float;
precision highp int;
layout(location = 0) in ivec3 now;
layout(location = 1) in ivec3 next;
layout(location = 2) in float shade;
uniform mat4 view, projection;
uniform float scale, limitNow, limitNext, blend, size;
uniform float reach;
out float colour;

vec3 place(ivec3 q, float limit)
{
    return scale * sinh(vec3(q) / 32767.0 * limit);
}

void main()
{
    bool absent = now.x == -32768 || (blend > 0.0 && next.x == -32768);
    vec3 p = mix(place(now, limitNow), place(next, limitNext), blend);
    vec4 eye = view * vec4(p / reach, 1.0);
    gl_Position = absent ? vec4(2.0, 2.0, 2.0, 1.0) : projection * eye;
    gl_PointSize = clamp(size * 3.0 / max(-eye.z, 0.05), 1.5, 48.0);
    colour = shade;
}
