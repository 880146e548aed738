/* bodies.c - a growing array of bodies and a table from indices to places in the array. */
#include "bodies.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more body and one more index; 0 if there is no memory. */
static int bodies_grow(amuse_bodies *b)
{
    if (b->count == b->room) {
        const int room = 2 * b->room + 64;
        amuse_body *body = reallocarray(b->body, (size_t)room, sizeof *body);
        if (!body)
            return 0;
        b->body = body;
        b->room = room;
    }
    if ((b->places & (b->places - 1)) == 0) { /* the table has room for the next power of two */
        int *place = reallocarray(b->place, (size_t)b->places * 2 + 1, sizeof *place);
        if (!place)
            return 0;
        b->place = place;
    }
    return 1;
}

int amuse_bodies_add(amuse_bodies *bodies, const amuse_body *body)
{
    if (!bodies_grow(bodies))
        return -1;
    const int index = bodies->places++;
    bodies->place[index] = bodies->count;
    bodies->body[bodies->count] = *body;
    bodies->body[bodies->count++].index = index;
    bodies->fields_known = 0;
    return index;
}

amuse_body *amuse_bodies_find(const amuse_bodies *bodies, int index)
{
    if (index < 0 || index >= bodies->places || bodies->place[index] < 0)
        return NULL;
    return &bodies->body[bodies->place[index]];
}

int amuse_bodies_remove(amuse_bodies *bodies, int index)
{
    amuse_body *body = amuse_bodies_find(bodies, index);
    if (!body)
        return -1;
    /* The order of the others stays, so that their sums do. */
    const int at = bodies->place[index];
    memmove(body, body + 1, (size_t)(bodies->count - at - 1) * sizeof *body);
    bodies->count--;
    for (int i = at; i < bodies->count; i++)
        bodies->place[bodies->body[i].index] = i;
    bodies->place[index] = -1;
    bodies->fields_known = 0;
    return 0;
}

void amuse_bodies_free(amuse_bodies *bodies)
{
    free(bodies->body);
    free(bodies->place);
    *bodies = (amuse_bodies){0};
}
