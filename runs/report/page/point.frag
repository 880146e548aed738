#version 300 es
/* point.frag - a soft disc; discs add up softly, so that crowded places are bright. */
precision highp float;
in float colour;
uniform sampler2D palette;
uniform float strength;
out vec4 result;

void main()
{
    vec2 d = 2.0 * gl_PointCoord - 1.0;
    float light = exp(-3.0 * dot(d, d)) * strength * step(dot(d, d), 1.0);
    result = vec4(texture(palette, vec2(colour * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb * light, 1.0);
}
