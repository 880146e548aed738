/* report_png.c - a PNG image (ISO/IEC 15948) with 256 colours, as a data: address. The bytes are stored and not
 * compressed (RFC 1951, 3.2.4): the images of a report are small. */
#include <stdint.h>
#include <string.h>

#include "report/report.h"

enum { BLOCK_MAX = 65535, COLOURS = 256 };

/* What has been written, with the two sums that the formats want. */
typedef struct {
    markup *to;
    uint32_t crc;        /* of the chunk */
    uint32_t low, high;  /* Adler-32 of the rows */
    int64_t left, block; /* bytes of the image to come, and of the stored block */
} png;

static uint32_t crc_byte(uint32_t crc, unsigned char byte)
{
    crc ^= byte;
    for (int k = 0; k < 8; k++)
        crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    return crc;
}

static void put(png *p, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t k = 0; k < size; k++)
        p->crc = crc_byte(p->crc, byte[k]);
    markup_base64(p->to, bytes, size);
}

static void put_number(png *p, uint32_t value)
{
    const unsigned char byte[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                   (unsigned char)(value >> 8), (unsigned char)value};
    put(p, byte, sizeof byte);
}

static void chunk_begin(png *p, const char *name, uint32_t size)
{
    put_number(p, size);
    p->crc = ~0u; /* the length is not part of the sum */
    put(p, name, 4);
}

static void chunk_end(png *p)
{
    put_number(p, ~p->crc);
}

/* Bytes of the image, in stored blocks whose heads are written as they are due. */
static void put_image(png *p, const unsigned char *byte, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        if (p->block == 0) {
            p->block = p->left < BLOCK_MAX ? p->left : BLOCK_MAX;
            const unsigned length = (unsigned)p->block, inverse = ~length;
            const unsigned char head[5] = {p->block == p->left, (unsigned char)length, (unsigned char)(length >> 8),
                                           (unsigned char)inverse, (unsigned char)(inverse >> 8)};
            put(p, head, sizeof head);
        }
        put(p, byte + k, 1);
        p->low = (p->low + byte[k]) % 65521;
        p->high = (p->high + p->low) % 65521;
        p->block--;
        p->left--;
    }
}

static void put_rows(png *p, int width, int height, const unsigned char *pixel)
{
    static const unsigned char zlib[2] = {0x78, 0x01}, unfiltered = 0;
    const int64_t bytes = (int64_t)height * (width + 1), blocks = (bytes + BLOCK_MAX - 1) / BLOCK_MAX;
    p->left = bytes;
    p->block = 0;
    p->low = 1;
    p->high = 0;
    chunk_begin(p, "IDAT", (uint32_t)(2 + 5 * blocks + bytes + 4));
    put(p, zlib, sizeof zlib);
    for (int y = 0; y < height; y++) {
        put_image(p, &unfiltered, 1);
        put_image(p, pixel + (size_t)y * (size_t)width, (size_t)width);
    }
    put_number(p, p->high << 16 | p->low);
    chunk_end(p);
}

void report_png_write(markup *out, int width, int height, const unsigned char *pixel)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const unsigned char kind[5] = {8, 3, 0, 0, 0}; /* 8 bits, palette, no filter, no interlace */
    unsigned char rgb[3];
    png p = {.to = out};
    markup_write(out, "data:image/png;base64,");
    put(&p, signature, sizeof signature);
    chunk_begin(&p, "IHDR", 13);
    put_number(&p, (uint32_t)width);
    put_number(&p, (uint32_t)height);
    put(&p, kind, sizeof kind);
    chunk_end(&p);
    chunk_begin(&p, "PLTE", 3 * COLOURS);
    for (int k = 0; k < COLOURS; k++) {
        report_colour(k, rgb);
        put(&p, rgb, sizeof rgb);
    }
    chunk_end(&p);
    put_rows(&p, width, height, pixel);
    chunk_begin(&p, "IEND", 0);
    chunk_end(&p);
    markup_base64_end(out);
}
