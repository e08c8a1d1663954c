// Prices of the search. The unit is one arithmetic operation of the generated code; a function of
// the mathematics library costs ten. Other units are named beside the price. Prices need not be
// exact: the search keeps a short list, from which the caller chooses by building and counting.
#ifndef CT_FLOW_PRICES_H
#define CT_FLOW_PRICES_H

enum {
    // one coordinate
    CT_PRICE_GIVEN = 1,            // nothing is solved, but the body's frame is set up
    CT_PRICE_SLIDE_BY_VECTOR = 6,  // a dot product and a division
    CT_PRICE_SLIDE_BY_PLANE = 8,   // the same with a pivot that changes
    CT_PRICE_ANGLE_BY_VECTOR = 10, // two dot products, for cosine and sine
    CT_PRICE_SLIDE_BY_LENGTH = 14, // a quadratic equation
    CT_PRICE_ANGLE_BY_LENGTH = 25, // a C + b S = c, with a square root and two quotients
    CT_PRICE_MOVING_PLANE = 1,     // its normal turns with the body: of two planes the other one
    CT_PRICE_RELATIVE = 1,         // bodies that are not placed: of two relations the other one
    CT_PRICE_RELATIVE_ANGLE = 60,  // its bodies still have to be turned as one
    CT_PRICE_SCREW = 8,            // the turn from the way: like a slide
    CT_PRICE_SCREW_ANGLE = 10,     // the way follows from the turn
    // several coordinates of one joint
    CT_PRICE_CYLINDER_BY_POINT = 18, // slide and angle, linear
    CT_PRICE_CYLINDER_BY_LINE = 40,  // angle by a root, then the slide
    CT_PRICE_DIRECTION = 45,         // inner angle by a root, outer one linear
    CT_PRICE_SPHERES = 60,           // a place from three distances
    CT_PRICE_TWO_SPHERES = 40,       // a vector from two distances of its end
    CT_PRICE_FRAME_BY_VECTORS = 90,  // a rotation, and three angles of it
    CT_PRICE_FRAME_BY_ROOT = 120,    // the same with the second vector by a root
    // equations between coordinates
    CT_PRICE_COUPLING_LINEAR = 6,
    CT_PRICE_COUPLING_QUADRATIC = 14,
    CT_PRICE_COUPLING_ANGLE = 25,
    // consequences of a choice for other parts of the code
    CT_FLOW_DEEP = 12,    // a coordinate between a body and the first one, in the dynamics
    CT_FLOW_NEAR = 60,    // a step that starts close to a limit position: possible, but avoided
    CT_FLOW_TEAR = 1000,  // an iterated coordinate: dearer than any order without
    CT_FLOW_SPAN = 50,    // how much dearer than the cheapest an order on the short list may be
    CT_PRICE_ORIENTED = 2 // coordinates that a parent adds which is oriented but not placed
};

// Prices of independent coordinates, and bonuses for those that the user asks for.
enum {
    CT_PRICE_COORDINATE = 5,  // of a joint with one axis, or of a body
    CT_PRICE_UNIVERSAL = 12,  // users seldom mean its angles
    CT_PRICE_SPHERICAL = 20,  // nor these
    CT_PRICE_POSE = -10,      // of a body's own coordinate, where poses are offered
    CT_PRICE_WHOLE_JOINT = 1, // all coordinates of a joint: among equals rather one by one
    CT_PRICE_FREE = 50,       // added to any choice, so that no bonus makes it negative
    CT_PRICE_FREE_JOINT = 1,  // added to free joints: they should follow from loops
    CT_WISH_INITIAL = 20,     // the user starts it
    CT_WISH_ACTUATOR = 8      // the user drives it
};

// Spins of rods, in units of sharpness: 1 where two angles determine the direction best.
#define CT_ROD_SHARPNESS 0.05 // below this the direction is too close to a lock of its two angles
#define CT_ROD_WISH      10.0 // above any sharpness: coordinates that the user starts come first
#define CT_ROD_DEPTH     0.1  // at most: less between the rod and the first body is better

// Effort: states of the search, but for numbers of bodies and tries.
enum {
    CT_EFFORT = 3000,
    CT_EFFORT_LARGE = 600,    // of groups with more bodies: each state takes longer
    CT_EFFORT_LARGE_AT = 8,   // bodies
    CT_EFFORT_ROOT = 200,     // from another first body
    CT_EFFORT_MEMORY = 1000,  // along an order that is remembered
    CT_EFFORT_COUPLED = 2000, // choices among free joints that couplings tie
    CT_MOST_TEARS = 6,        // iterated coordinates
    CT_MOST_ROOTS = 6,        // other first bodies
    CT_FLOW_SHORT = 6         // orders on the short list
};

#endif
