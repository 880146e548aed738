#version 300 es
/* line.frag - the axes. */
precision highp float;
out vec4 result;

void main()
{
    result = vec4(0.16, 0.19, 0.25, 1.0);
}
