// A drawing on paper: items with a layer and a depth, the farthest drawn first.
#ifndef CT_STILL_H
#define CT_STILL_H

#include "view/view.h"

typedef struct ct_spot { // a point on the paper: x right, y down, depth towards the eye
    double x, y, depth;
} ct_spot;

typedef struct ct_still_item {
    int layer, order;
    double depth;
    char *text; // SVG
} ct_still_item;

typedef struct ct_still {
    double right[3], up[3], eye[3]; // unit vectors, in ground
    double centre[3], unit;         // drawing units to the metre
    double thick;                   // of a bar, in drawing units
    double low[2], high[2];         // of what is drawn
    ct_still_item *items;
    int n, room;
} ct_still;

enum { CT_STILL_GROUND, CT_STILL_BODIES, CT_STILL_JOINTS };

// The eye: along the normal of a planar mechanism, else from above and aside; `down` is gravity.
void ct_still_look(ct_still *s, const double *normal, const double *down);
ct_spot ct_still_spot(const ct_still *s, const double *p);
ct_spot ct_still_aside(ct_spot a, double x, double y);
// attributes: of the SVG element
void ct_still_path(ct_still *s, int layer, double depth, int n, const ct_spot *p, bool closed,
                   double width, const char *attributes);
void ct_still_circle(ct_still *s, int layer, ct_spot at, double radius, const char *attributes);
int ct_still_hull(int n, ct_spot *p); // convex hull in place; how many points it has
char *ct_still_finish(ct_still *s, const char *name);

typedef struct ct_drawing {
    const ct_view *v;
    ct_pose *pose;
    ct_anchors *anchors; // [bodies]
    bool planar;
    ct_still s;
} ct_drawing;

enum { CT_ATTRIBUTES_BYTES = 96 };
const char *ct_drawing_colour(int body);
int ct_drawing_layer(const ct_drawing *d, int wanted); // in space depth alone counts
ct_spot ct_drawing_spot(const ct_drawing *d, int body, const double *at);
double ct_drawing_depth(int n, const ct_spot *p); // the mean
void ct_drawing_joint(ct_drawing *d, const ct_hinge *h);
void ct_drawing_spring(ct_drawing *d, const ct_force *force);

#endif
