#version 300 es
/* line.vert - the axes. */
precision highp float;
layout(location = 3) in vec3 place;
uniform mat4 view, projection;

void main()
{
    gl_Position = projection * view * vec4(place, 1.0);
}
