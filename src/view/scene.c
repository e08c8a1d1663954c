// The scene as JSON, as far as it does not change over time: bodies with their shapes and points,
// joints, forces.
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

typedef struct scene {
    ct_context *ctx;
    const ct_view *v;
    const ct_frames *f;
    ct_json *j;
} scene;

static void write_vec(const scene *s, const char *key, const ct_vec3 *v) {
    double x[3];
    ct_view_numbers(s->v->model, v, x);
    ct_json_vector(s->j, key, 3, x);
}

// shapes ------------------------------------------------------------------------------------------
// A path of the file, which is relative to the model's folder.
static char *beside(const ct_model *model, const char *path) {
    const char *slash = strrchr(model->path, '/');
    return *path == '/' || !slash
               ? ct_strdup(path)
               : ct_format("%.*s/%s", (int)(slash - model->path), model->path, path);
}

static ct_status write_mesh(const scene *s, const ct_shape *shape) {
    float *xyz = NULL;
    int n = 0;
    char *path = beside(s->v->model, shape->path);
    ct_status status = ct_mesh_read(s->ctx, shape->place, path, &n, &xyz);
    ct_free(path);
    if (status) return status;
    double *x = ct_scratch(9 * (size_t)n, sizeof *x);
    for (int i = 0; i < 9 * n; i++) x[i] = (double)xyz[i];
    ct_json_floats(s->j, "triangles", 9 * (size_t)n, x);
    ct_free(xyz);
    return CT_OK;
}

static ct_status write_shape(const scene *s, const ct_shape *shape) {
    static const char *const names[] = {
#define X(name, text) text,
        CT_SHAPE_TYPES(X)
#undef X
    };
    const ct_model *m = s->v->model;
    double R[9], q[4];
    ct_status status = CT_OK;
    // sizes that belong to the type
    ct_json_object(s->j, NULL);
    ct_json_string(s->j, "type", names[shape->type]);
    if (shape->type == CT_SHAPE_BOX) write_vec(s, "size", &shape->size);
    double radius = ct_model_number(m, shape->radius);
    if (radius > 0) ct_json_number(s->j, "radius", radius);
    if (shape->type == CT_SHAPE_CYLINDER || shape->type == CT_SHAPE_CAPSULE) {
        ct_json_number(s->j, "length", ct_model_number(m, shape->length));
        write_vec(s, "axis", &shape->axis);
    }
    if (shape->type == CT_SHAPE_LINK) {
        write_vec(s, "from", &shape->end[0]);
        write_vec(s, "to", &shape->end[1]);
    }
    // triangles of a file
    if (shape->type == CT_SHAPE_FILE) {
        ct_json_number(s->j, "scale", ct_model_number(m, shape->scale));
        status = write_mesh(s, shape);
    }
    // pose in the body, as a place and a quaternion
    for (int i = 0; i < 9; i++) R[i] = ct_model_number(m, shape->orient.a[i / 3][i % 3]);
    ct_quaternion(R, q);
    write_vec(s, "position", &shape->position);
    ct_json_vector(s->j, "orient", 4, q);
    // look
    if (shape->colour >= 0) ct_json_number(s->j, "colour", shape->colour);
    ct_json_number(s->j, "opacity", ct_model_number(m, shape->opacity));
    ct_json_end(s->j);
    return status;
}

// bodies ------------------------------------------------------------------------------------------
static ct_status write_body(const scene *s, int b) {
    const ct_body *body = s->v->model->bodies + b;
    ct_status status = CT_OK;
    ct_anchors a;
    // mass and centre of mass
    ct_json_object(s->j, NULL);
    ct_json_string(s->j, "name", body->name);
    ct_json_number(s->j, "mass", ct_model_number(s->v->model, body->mass));
    ct_json_vector(s->j, "com", 3, s->v->mover.com[b]);
    // shapes of the file, and anchors for a body without any
    ct_json_array(s->j, "shapes");
    for (int i = 0; i < body->n_shapes && !status; i++) status = write_shape(s, body->shapes + i);
    ct_json_end(s->j);
    ct_anchors_find(s->v, b, &a);
    ct_json_array(s->j, "anchors");
    for (int i = 0; i < a.n; i++) ct_json_vector(s->j, NULL, 3, a.at[i]);
    ct_json_end(s->j);
    ct_anchors_clear(&a);
    // points of the file
    ct_json_array(s->j, "points");
    for (int i = 0; i < body->n_points; i++) {
        ct_json_object(s->j, NULL);
        ct_json_string(s->j, "name", body->points[i].name);
        write_vec(s, "at", &body->points[i].at);
        ct_json_end(s->j);
    }
    ct_json_end(s->j);
    ct_json_end(s->j);
    return status;
}

// joints ------------------------------------------------------------------------------------------
// Range of a coordinate over all frames.
static void write_range(const scene *s, int coordinate) {
    double range[2] = {INFINITY, -INFINITY};
    int column = s->v->q[coordinate];
    for (int i = 0; i < s->f->n && column >= 0; i++) {
        double x = s->v->rows[s->f->row[i] * s->v->n_columns + column];
        range[0] = fmin(range[0], x);
        range[1] = fmax(range[1], x);
    }
    if (range[0] <= range[1]) ct_json_vector(s->j, "range", 2, range);
}

static void write_joint(const scene *s, const ct_hinge *h) {
    const ct_joint *j = h->joint;
    const ct_model *m = s->v->model;
    double u[3];
    // name, type, sign
    ct_json_object(s->j, NULL);
    ct_json_string(s->j, "name", j->name);
    ct_json_string(s->j, "type", ct_joint_type_name(j->type));
    ct_json_string(s->j, "sign", ct_joint_sign_name(j->type));
    ct_json_number(s->j, "virtual", j->is_virtual);
    // gears and racks: the two joints
    if (ct_joint_is_pair(j->type)) {
        double joints[2] = {m->coordinates[j->coordinate[0]].joint,
                            m->coordinates[j->coordinate[1]].joint};
        ct_json_vector(s->j, "joints", 2, joints);
        ct_json_number(s->j, "ratio", h->ratio);
    }
    // points and axes, in the frames of both bodies
    if (j->body[0] >= 0 && j->body[1] >= 0) {
        ct_json_vector(s->j, "bodies", 2, (double[]){j->body[0], j->body[1]});
        for (int side = 0; side < 2; side++) {
            ct_json_vector(s->j, side ? "at_b" : "at_a", 3, h->at[side]);
            for (int which = 0; which < 2; which++) {
                static const char *const keys[2][2] = {{"axis_a", "axis_b"},
                                                       {"second_a", "second_b"}};
                ct_hinge_axis(h, which, side, u);
                ct_json_vector(s->j, keys[which][side], 3, u);
            }
        }
    }
    // lengths of rails and pins, lead of screws
    if (ct_joint_slides_on_line(j->type)) write_range(s, j->first_coordinate);
    if (ct_hinge_has_line(m, h)) { // its ends, measured along the axis
        double line[2];
        for (int k = 0; k < 2; k++) {
            ct_view_numbers(m, &j->line[k], u);
            for (int i = 0; i < 3; i++) u[i] -= h->at[0][i];
            line[k] = ct_dot3(u, h->axis[0]);
        }
        ct_json_vector(s->j, "line", 2, line);
    }
    if (ct_joint_traits_of(j->type)->holds == CT_HOLDS_HELIX) ct_json_number(s->j, "lead", h->lead);
    ct_json_end(s->j);
}

// What is drawn of a force on a coordinate: the joint, and where stops are.
static void write_on_coordinate(const scene *s, const ct_force *force) {
    const ct_model *m = s->v->model;
    const ct_coordinate *c = m->coordinates + force->coordinate;
    ct_json_number(s->j, "joint", c->joint);
    ct_json_number(s->j, "angle", c->is_angle);
    if (force->has_bound[0] || force->has_bound[1]) ct_json_string(s->j, "coordinate", c->name);
    if (force->has_bound[0])
        ct_json_number(s->j, "lower", ct_model_number(m, force->number[CT_NUMBER_LOWER]));
    if (force->has_bound[1])
        ct_json_number(s->j, "upper", ct_model_number(m, force->number[CT_NUMBER_UPPER]));
}

static void write_force(const scene *s, const ct_force *force) {
    const ct_model *m = s->v->model;
    const ct_force_traits *traits = ct_force_traits_of(force->type);
    ct_json_object(s->j, NULL);
    ct_json_string(s->j, "name", force->name);
    ct_json_string(s->j, "type", traits->name);
    ct_json_string(s->j, "sign", ct_force_sign_name(force->type));
    if (traits->on == CT_ON_COORDINATE) {
        write_on_coordinate(s, force);
    } else {
        ct_json_vector(s->j, "bodies", 2, (double[]){force->body[0], force->body[1]});
        write_vec(s, "at_a", &force->at[0]);
        if (traits->on != CT_ON_BODY) write_vec(s, "at_b", &force->at[1]);
        if (traits->sign == CT_SIGN_TOUCH) {
            ct_json_number(s->j, "radius", ct_model_number(m, force->radius));
            ct_json_number(s->j, "other_radius", ct_model_number(m, force->other_radius));
            if (force->has_plane) write_vec(s, "plane", &force->vector);
        }
        if (traits->sign == CT_SIGN_WHEEL) {
            write_vec(s, "axis", &force->vector);
            ct_json_number(s->j, "radius", ct_model_number(m, force->radius));
        }
    }
    ct_json_end(s->j);
}

ct_status ct_scene_write(ct_context *ctx, const ct_view *v, const ct_frames *f, ct_json *j) {
    const ct_model *m = v->model;
    scene s = {ctx, v, f, j};
    double normal[3];
    ct_status status = CT_OK;
    // the whole: size, extent, gravity, plane
    ct_json_object(j, NULL);
    ct_json_string(j, "name", m->name);
    ct_json_string(j, "kind", v->kind == CT_VIEW_MOTION ? "motion" : "configurations");
    ct_json_string(j, "version", CT_VERSION);
    ct_json_number(j, "size", f->size);
    ct_json_vector(j, "low", 3, f->low);
    ct_json_vector(j, "high", 3, f->high);
    write_vec(&s, "gravity", &m->gravity);
    if (f->n && ct_view_plane(v, f->pose, normal)) ct_json_vector(j, "normal", 3, normal);
    // parts, then what changes over time
    ct_json_array(j, "bodies");
    for (int b = 0; b < m->n_bodies && !status; b++) status = write_body(&s, b);
    ct_json_end(j);
    ct_json_array(j, "joints");
    for (int k = 0; k < m->n_joints; k++) write_joint(&s, v->mover.hinges + k);
    ct_json_end(j);
    ct_json_array(j, "forces");
    for (int k = 0; k < m->n_forces; k++) write_force(&s, m->forces + k);
    ct_json_end(j);
    if (!status) ct_scene_data(v, f, j);
    ct_json_end(j);
    return status;
}
