// realize(Acceleration) of Simbody: microseconds, the least of many rounds, and accelerations at the start. Reads lines
// "parent axis(3) at(3) mass com(3) inertia about com(3) angle rate" from a file; parent 0 is ground.
#include <Simbody.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <vector>

using namespace SimTK;

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::UniformGravity gravity(forces, matter, Vec3(0, 0, -9.81));
    std::vector<MobilizedBody> bodies{matter.Ground()};
    std::vector<double> angle, rate;
    std::ifstream in(argv[1]);
    int p;
    double x[15];
    while (in >> p) {
        for (double &value : x) in >> value;
        Rotation turned(UnitVec3(x[0], x[1], x[2]), ZAxis); // z of the joint along its axis
        Vec3 com(x[7], x[8], x[9]);
        Inertia inertia = Inertia(x[10], x[11], x[12]).shiftFromMassCenter(-com, x[6]);
        Body::Rigid body(MassProperties(x[6], com, inertia));
        bodies.push_back(MobilizedBody::Pin(bodies[p], Transform(turned, Vec3(x[3], x[4], x[5])), body,
                                            Transform(turned, Vec3(0))));
        angle.push_back(x[13]);
        rate.push_back(x[14]);
    }
    State state = system.realizeTopology();
    for (size_t i = 0; i < angle.size(); i++) {
        bodies[i + 1].setOneQ(state, 0, angle[i]);
        bodies[i + 1].setOneU(state, 0, rate[i]);
    }
    const int rounds = 200, batch = atoi(argv[2]);
    double best = 1e30;
    for (int r = 0; r < rounds; r++) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < batch; i++) {
            state.updQ(); // all of it anew
            system.realize(state, Stage::Acceleration);
        }
        double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / batch;
        if (each < best) best = each;
    }
    std::printf("%.6g", 1e6 * best);
    for (size_t i = 0; i < angle.size(); i++) std::printf(" %.12g", bodies[i + 1].getOneUDot(state, 0));
    std::printf("\n");
}
