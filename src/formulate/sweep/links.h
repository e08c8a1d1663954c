// A tree as links: the way from the frame of a body to that of the next one in elementary steps, in
// frames that suit the joints (links.c), for recursions over bodies (sweep_articulated.c).
#ifndef CT_LINKS_H
#define CT_LINKS_H

#include "formulate/dynamics.h"

typedef enum ct_link_kind {
    CT_LINK_SHIFT, // the origin moves by `along`
    CT_LINK_TURN, // the frame turns about coordinate axis `axis`, by the angle with cosine c, sine s
    CT_LINK_MATRIX, // the frame turns by `matrix`, components behind it to those before it
    CT_LINK_SLIDE,  // a freedom: translation along e
    CT_LINK_SPIN    // freedoms at once: rotations about e
} ct_link_kind;

typedef struct ct_link_step {
    ct_link_kind kind;
    ct_vec3 along;
    int axis;
    ct_ex c, s;
    ct_mat3 matrix;
    // freedoms: direction, index into q, rate; a direction along -x, -y, -z is +x, +y, +z and `minus`
    int n;
    ct_vec3 e[3];
    int coordinate[3];
    bool minus[3];
    ct_ex rate[3]; // along e
    bool bias;     // of a slide: the frame that carries it turns
} ct_link_step;

enum { CT_LINK_STEPS = 16 };
typedef struct ct_tree_link {
    int n;
    ct_link_step step[CT_LINK_STEPS]; // from the frame of the parent to that of the body
    ct_mat3 frame;                    // components in it to components in the body's own frame
    ct_vec3 origin;                   // from the centre of mass, the body's own frame
} ct_tree_link;

// A body about the origin of its link, in that one's frame: mass, first moments, second moments.
typedef struct ct_link_moments {
    ct_ex mass;
    ct_vec3 first;
    ct_mat3 second;
} ct_link_moments;

// True if the mechanism is a tree whose recursions these links can carry: no constraint rows, one
// parent for both domains, no screws, slides along the first body of a joint.
bool ct_links_apply(const ct_layout *l);
// The same with constraint rows beside the tree.
bool ct_links_carry(const ct_layout *l);
// A value kept whole; one of numbers alone becomes the number that it is, zero up to rounding being zero.
ct_ex ct_links_constant(ct_pool *pool, ct_ex a);
// links [bodies]. along_joints: frames lie along the axes of joints and common normals of these; else
// only where the axis of a body is none of its own coordinate axes.
void ct_links_find(ct_layout *l, bool along_joints, bool along_floating, ct_tree_link *links);

// link_moments.c: the centre of mass of a body from the origin of its link; its moments there.
ct_vec3 ct_link_centre(const ct_layout *l, const ct_tree_link *link);
ct_link_moments ct_link_moments_of(const ct_layout *l, const ct_tree_link *link, int b);
// Leaves what does not turn with a hinge to the link before it. of [bodies]
void ct_links_regroup(const ct_layout *l, const ct_tree_link *links, ct_link_moments *of);

#endif
