// Pages that show a mechanism: from rows of a result to poses of the bodies over time, and to one
// HTML file. This folder decides what is drawn, the scripts of web/ decide how.
#ifndef CT_VIEW_H
#define CT_VIEW_H

#include "model/model.h"
#include "util/text/json.h"

#include <math.h>

// numbers in space --------------------------------------------------------------------------------
typedef struct ct_pose { // x in ground = r + R x in the body
    double r[3], R[9];   // R row by row
} ct_pose;
typedef struct ct_twist { // velocity of the body's origin, angular velocity; in ground
    double v[3], w[3];
} ct_twist;

void ct_turned(const double *R, const double *x, double *y);                    // y = R x
void ct_turned_back(const double *R, const double *x, double *y);               // y = R^T x
void ct_pose_point(const ct_pose *pose, const double *x, double *y);            // y = r + R x
void ct_quaternion(const double *R, double *q);                                 // x y z w, w >= 0
void ct_multiply(const double *a, const double *b, bool transposed, double *c); // a b or a b^T
void ct_view_numbers(const ct_model *model, const ct_vec3 *v, double *x); // of a constant vector
double ct_dot3(const double *a, const double *b);
double ct_distance3(const double *a, const double *b);

// motion ------------------------------------------------------------------------------------------
typedef struct ct_hinge { // a joint in numbers
    const ct_joint *joint;
    double at[2][3], orient[2][9];
    double axis[2][3];      // in the joint frame
    double direction[2][3]; // planar: of x and y
    double lead, length, ratio;
} ct_hinge;

// Order in which bodies are placed by joint coordinates: along joints from ground outwards.
typedef struct ct_mover {
    const ct_model *model;
    int n_bodies, n_joints;
    ct_hinge *hinges;
    int *order; // [n_bodies] each after the one it hangs on, ground first
    int *via;   // [n_bodies] joint that places it; -1: its own coordinates
    double (*com)[3];
} ct_mover;

// known: [coordinates of the model] those whose values will be given; own: [bodies] those whose own
// six coordinates will be. Fails with the name of the coordinate that is missing.
ct_status ct_mover_init(ct_context *ctx, ct_mover *m, const ct_model *model, const bool *known,
                        const bool *own);
// q: coordinates of the model; own: [bodies x 6] place of the centre of mass and three angles.
void ct_mover_place(const ct_mover *m, const double *q, const double *own, ct_pose *pose);
void ct_mover_move(const ct_mover *m, const double *q, const double *qd, const double *own,
                   const double *own_d, ct_twist *twist);
// The largest gap, in metres, of the joints that place nothing; `scale` makes angles lengths.
double ct_mover_gap(const ct_mover *m, const double *q, const ct_pose *pose, double scale);
// The pose of the body on the far side of a joint from its own coordinates; forward: from A to B.
void ct_hinge_cross(const ct_hinge *h, const double *q, bool forward, const ct_pose *near,
                    ct_pose *far);
// Unit vector of the joint's axis (which: 0 or 1) in the frame of a body (side: 0 or 1).
void ct_hinge_axis(const ct_hinge *h, int which, int side, double *u);

// Energy that a force has stored in a position; q: coordinates of the model.
double ct_stored_energy(const ct_model *model, const ct_force *force, const ct_pose *pose,
                        const double *q);

// Penetration of a contact in a position; negative: its gap.
double ct_contact_depth(const ct_model *model, const ct_force *force, const ct_pose *pose);

// rows --------------------------------------------------------------------------------------------
typedef enum ct_column_kind {
    CT_COLUMN_TIME,
    CT_COLUMN_COORDINATE,
    CT_COLUMN_RATE,
    CT_COLUMN_ACCELERATION,
    CT_COLUMN_OUTPUT,
    CT_COLUMN_EFFORT,    // of a motion or drive
    CT_COLUMN_REACTION,  // a component of a joint's force, or of its moment
    CT_COLUMN_MULTIPLIER // of a coupling
} ct_column_kind;

typedef struct ct_column {
    char *name;
    ct_column_kind kind;
    bool is_angle; // of forces: a moment
} ct_column;

typedef struct ct_view_peak { // the largest of all rows, and when
    double size, time;
} ct_view_peak;
typedef struct ct_view_reaction {
    int joint, column[6]; // force and moment on body B at its joint point, ground axes
    ct_view_peak force, moment;
} ct_view_reaction;

struct ct_view {
    ct_memory memory;
    const ct_model *model;
    ct_view_kind kind;
    int n_columns;
    ct_column *columns;
    int time;                   // column, or -1
    int *q, *qd;                // [coordinates] columns, or -1
    int (*own)[6], (*own_d)[6]; // [bodies] columns of their own coordinates, or -1
    bool moves;                 // rates are there
    int n_reactions;            // joints whose six columns are there
    ct_view_reaction *reactions;
    ct_mover mover;
    double *rows, *last;
    long n_rows, room_rows, max_rows, seen, stride;
    bool has_last;
};

// frames: the rows that go into the page, and what holds there ------------------------------------
typedef struct ct_frames {
    int n, n_bodies, n_forces;
    long *row;
    double *time;
    ct_pose *pose;               // [n x bodies]
    ct_twist *twist;             // [n x bodies], or NULL
    double *force;               // [n x forces x 3]
    double *kinetic, *potential; // [n], or NULL
    double *gap;                 // [n]
    double size;                 // of the mechanism in one frame
    double low[3], high[3];      // of everything over all frames
} ct_frames;

void ct_frames_choose(const ct_view *v, int max, ct_frames *f); // row, time, pose, twist
void ct_frames_evaluate(const ct_view *v, ct_frames *f);        // force, energies, gap
void ct_frames_clear(ct_frames *f);
void ct_view_finish(ct_view *v); // the last row belongs to the rows
void ct_view_state(const ct_view *v, const double *row, double *q, double *qd, double *own,
                   double *own_d);

// reactions ----------------------------------------------------------------------------------------
void ct_view_find_reactions(ct_view *v);                // among the columns
void ct_view_note_peaks(ct_view *v, const double *row); // of a row, whether it is kept or not
void ct_scene_reactions(const ct_view *v, ct_json *j);

// anchors: the points that a body is drawn through ------------------------------------------------
typedef struct ct_anchors {
    int n, room;
    double (*at)[3];
} ct_anchors;
void ct_anchors_find(const ct_view *v, int body, ct_anchors *anchors);
void ct_anchors_clear(ct_anchors *anchors);
// True for a hinge on a line between two points that the file names.
bool ct_hinge_has_line(const ct_model *model, const ct_hinge *h);
// True if all motion is parallel to one plane, with its unit normal.
bool ct_view_plane(const ct_view *v, const ct_pose *pose, double *normal);

// text --------------------------------------------------------------------------------------------
void ct_json_text(ct_json *j, ct_text *t); // compact, at the end of the text
void ct_json_bytes(ct_json *j, const char *key, size_t n, const void *bytes); // base64
void ct_json_floats(ct_json *j, const char *key, size_t n, const double *x);  // as float32, base64

// Triangles of an STL or OBJ file as float32, nine to a triangle.
ct_status ct_mesh_read(ct_context *ctx, ct_place place, const char *path, int *n, float **xyz);

ct_status ct_scene_write(ct_context *ctx, const ct_view *v, const ct_frames *f, ct_json *j);
void ct_scene_data(const ct_view *v, const ct_frames *f, ct_json *j);

#endif
