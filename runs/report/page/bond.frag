#version 300 es
/* bond.frag - a bond: a line with the colours of its atoms. */
precision highp float;
in float colour;
uniform sampler2D palette;
out vec4 result;

void main()
{
    result = vec4(texture(palette, vec2(colour * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb * 0.3, 1.0);
}
