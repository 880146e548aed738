/* bodies.h - the bodies of the worker, by the indices that AMUSE gives them. */
#ifndef AMUSE_BODIES_H
#define AMUSE_BODIES_H

typedef struct {
    int index; /* never given to another body */
    double mass, radius;
    double x[3], v[3];
    double acceleration[3], potential; /* valid while `fields_known` */
} amuse_body;

typedef struct {
    amuse_body *body; /* [count], room for `room` */
    int count, room;
    int *place; /* [places], number of a body in `body` by its index; -1 = removed */
    int places;
    int fields_known; /* 1 if accelerations and potentials belong to the present positions */
} amuse_bodies;

/* Adds a body and gives its index; -1 if there is no memory. */
int amuse_bodies_add(amuse_bodies *bodies, const amuse_body *body);

/* The body of an index; null if there is none. */
amuse_body *amuse_bodies_find(const amuse_bodies *bodies, int index);

/* Removes a body. Gives 0, or -1 if there is none of that index. */
int amuse_bodies_remove(amuse_bodies *bodies, int index);

/* Frees everything and forgets the indices. */
void amuse_bodies_free(amuse_bodies *bodies);

#endif
