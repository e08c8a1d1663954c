// The part of the scene that changes over time, as arrays in base64: poses as float32 (place,
// quaternion), velocities as 16-bit integers with a scale for each body, forces and curves as
// float32.
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

static void write_poses(const ct_frames *f, ct_json *j) {
    int moving = f->n_bodies - 1;
    double *x = ct_scratch(7 * (size_t)f->n * (size_t)moving + 1, sizeof *x);
    for (int i = 0; i < f->n; i++)
        for (int b = 0; b < moving; b++) {
            const ct_pose *p = f->pose + (size_t)i * (size_t)f->n_bodies + b + 1;
            double *out = x + 7 * ((size_t)i * (size_t)moving + (size_t)b), sign = 0;
            memcpy(out, p->r, sizeof p->r);
            ct_quaternion(p->R, out + 3);
            for (int k = 3; k < 7 && i; k++) sign += out[k] * out[k - 7 * moving];
            for (int k = 3; k < 7 && sign < 0; k++) out[k] = -out[k]; // the near one of +q and -q
        }
    ct_json_floats(j, "poses", 7 * (size_t)f->n * (size_t)moving, x);
}

// Velocities as 16-bit numbers: 32767 is the body's largest speed, or largest angular speed.
static void write_velocities(const ct_frames *f, ct_json *j) {
    int moving = f->n_bodies - 1;
    double *scale = ct_scratch(2 * (size_t)moving + 1, sizeof *scale);
    unsigned char *bytes = ct_scratch(12 * (size_t)f->n * (size_t)moving + 1, 1), *out = bytes;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->n; i++)
            for (int b = 0; b < moving; b++) {
                const ct_twist *t = f->twist + (size_t)i * (size_t)f->n_bodies + b + 1;
                for (int k = 0; k < 6; k++) {
                    double x = k < 3 ? t->v[k] : t->w[k - 3], *most = scale + 2 * b + k / 3;
                    if (!pass) {
                        *most = fmax(*most, fabs(x));
                        continue;
                    }
                    int n = *most > 0 && isfinite(x) ? (int)lrint(32767 * x / *most) : 0;
                    *out++ = (unsigned char)(n & 255);
                    *out++ = (unsigned char)(n >> 8 & 255);
                }
            }
    ct_json_vector(j, "velocity_scale", 2 * moving, scale);
    ct_json_bytes(j, "velocities", (size_t)(out - bytes), bytes);
}

static void write_curve(ct_json *j, const char *name, const char *group, const char *unit, int n,
                        const double *x) {
    ct_json_object(j, NULL);
    ct_json_string(j, "name", name);
    ct_json_string(j, "group", group);
    ct_json_string(j, "unit", unit);
    ct_json_floats(j, "data", (size_t)n, x);
    ct_json_end(j);
}

static void write_column(const ct_view *v, const ct_frames *f, ct_json *j, int k, double *x) {
    static const struct {
        const char *group, *unit[2]; // of lengths and forces, of angles and moments
    } kinds[] = {[CT_COLUMN_TIME] = {"time", {"s", "s"}},
                 [CT_COLUMN_COORDINATE] = {"coordinates", {"m", "rad"}},
                 [CT_COLUMN_RATE] = {"rates", {"m/s", "rad/s"}},
                 [CT_COLUMN_ACCELERATION] = {"accelerations", {"m/s²", "rad/s²"}},
                 [CT_COLUMN_OUTPUT] = {"outputs", {"", ""}},
                 [CT_COLUMN_EFFORT] = {"efforts", {"N", "N m"}},
                 [CT_COLUMN_REACTION] = {"reactions", {"N", "N m"}},
                 [CT_COLUMN_MULTIPLIER] = {"multipliers", {"", ""}}};
    const ct_column *c = v->columns + k;
    for (int i = 0; i < f->n; i++) x[i] = v->rows[f->row[i] * v->n_columns + k];
    write_curve(j, c->name, kinds[c->kind].group, kinds[c->kind].unit[c->is_angle], f->n, x);
}

void ct_scene_data(const ct_view *v, const ct_frames *f, ct_json *j) {
    size_t n = (size_t)f->n;
    double *x = ct_scratch(n + 1, sizeof *x);
    ct_json_number(j, "frames", f->n);
    ct_json_number(j, "rows", (double)v->seen);
    ct_json_vector(j, "time", f->n, f->time);
    write_poses(f, j);
    if (f->twist) write_velocities(f, j);
    if (f->n_forces) ct_json_floats(j, "force_data", n * (size_t)f->n_forces * 3, f->force);
    ct_json_array(j, "curves");
    for (int k = 0; k < v->n_columns; k++)
        if (k != v->time) write_column(v, f, j, k, x);
    if (f->kinetic) {
        for (size_t i = 0; i < n; i++) x[i] = f->kinetic[i] + f->potential[i];
        write_curve(j, "kinetic energy", "energy", "J", f->n, f->kinetic);
        write_curve(j, "potential energy", "energy", "J", f->n, f->potential);
        write_curve(j, "kinetic + potential", "energy", "J", f->n, x);
    }
    write_curve(j, "loop gap", "residual", "m", f->n, f->gap);
    ct_json_end(j);
    if (v->n_reactions) ct_scene_reactions(v, j);
}
