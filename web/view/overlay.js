// What overlays have in common.
import * as THREE from "three";

// An overlay is made from the parts of the page: scene, shared solids, mechanism, points to trace, labels.
export class Overlay {
    constructor() {
        this.group = new THREE.Group(); // what it adds to the picture
    }

    // Called when a switch or the choice of points has changed.
    show(on) {
        this.group.visible = on;
    }

    // Called for another time, after the mechanism was placed.
    place() {}

    // Called after each drawing.
    draw() {}
}
