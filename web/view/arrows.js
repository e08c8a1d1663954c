// Arrows of forces and velocities, arcs of torques.
import * as THREE from "three";
import { arrow, along } from "./geometry.js";

const torqueColour = 0x8a4fb3;

// A torque: an arc about its axis, the longer the larger, seen from every side.
export class Arc {
    constructor(shared, radius, full, colour = torqueColour) {
        const look = new THREE.MeshStandardMaterial({
            color: colour,
            emissive: colour,
            emissiveIntensity: 0.15,
        });
        const points = [];
        this.arc = 5.2;
        this.full = full; // length of the vector that gives the whole arc
        this.radius = radius;
        for (let k = 0; k <= 64; k++) {
            const a = (this.arc * k) / 64;
            points.push(new THREE.Vector3(radius * Math.cos(a), radius * Math.sin(a), 0));
        }
        this.group = new THREE.Group();
        this.tube = new THREE.Mesh(
            new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 64, shared.radius, 8),
            look,
        );
        this.head = new THREE.Mesh(shared.head, look);
        this.group.add(this.tube, this.head);
    }

    set(from, by) {
        const share = Math.min(1, by.length() / this.full);
        this.group.visible = share > 0.01;
        if (!this.group.visible) return;
        along(this.group, from, by);
        const steps = Math.max(1, Math.round(64 * share));
        this.tube.geometry.setDrawRange(0, steps * 8 * 6);
        const a = (this.arc * steps) / 64;
        const ahead = new THREE.Vector3(-Math.sin(a), Math.cos(a), 0);
        along(this.head, new THREE.Vector3(this.radius * Math.cos(a), this.radius * Math.sin(a), 0), ahead);
        this.head.translateZ(0.5 * share * this.radius);
        this.head.scale.setScalar(0.35 + 0.65 * share);
    }
}

export class Arrow {
    constructor(shared, colour) {
        const look = new THREE.MeshStandardMaterial({
            color: colour,
            roughness: 0.6,
            emissive: colour,
            emissiveIntensity: 0.15,
        });
        this.group = new THREE.Group();
        this.shaft = new THREE.Mesh(shared.shaft, look);
        this.head = new THREE.Mesh(shared.head, look);
        this.headLength = shared.headLength;
        this.group.add(this.shaft, this.head);
    }

    set(from, by) {
        const length = by.length();
        this.group.visible = length > 0.15 * this.headLength;
        if (!this.group.visible) return;
        along(this.group, from, by);
        const scale = Math.min(1, length / (1.4 * this.headLength));
        this.shaft.scale.set(scale, scale, Math.max(1e-9, length - 0.9 * scale * this.headLength));
        this.head.scale.setScalar(scale);
        this.head.position.z = length;
    }
}

export const arrowShape = ({ scene, shared }) => arrow(0.32 * shared.m.bar + 0.0018 * scene.size);
