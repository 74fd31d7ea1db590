// Reads a list of files and what they should hold, as JSON on stdin; prints what
// the Khronos validator and three.js make of each, as JSON on stdout:
//   in:  [{ path, clips: [{ name, poses: [{ secs, joints: [[x, y, z], …], vertices: [[i, x, y, z], …] }] }] }]
//   out: [{ path, errors, warnings, messages, clips, compared, worst_m }]
// Joints are the first nodes of a file, in order.
import { readFile } from "node:fs/promises";
import process from "node:process";
import validator from "gltf-validator";
import * as THREE from "three";
import { MeshoptDecoder } from "three/examples/jsm/libs/meshopt_decoder.module.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

// Pictures are the validator's; without a browser there is nothing to decode them.
const noPictures = () => ({
  name: "no_pictures",
  loadTexture: () => Promise.resolve(new THREE.Texture()),
});

async function validate(bytes) {
  const report = await validator.validateBytes(bytes, { maxIssues: 50 });
  const told = report.issues.messages.filter((it) => it.severity <= 1);
  return {
    errors: report.issues.numErrors,
    warnings: report.issues.numWarnings,
    messages: told.map((it) => `${it.code} ${it.pointer}: ${it.message}`),
  };
}

function load(bytes) {
  const loader = new GLTFLoader();
  loader.register(noPictures);
  loader.setMeshoptDecoder(MeshoptDecoder);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new Promise((resolve, reject) => loader.parse(buffer, "", resolve, reject));
}

async function compare(bytes, clips) {
  const gltf = await load(bytes);
  const nodes = [];
  for (const [object, of] of gltf.parser.associations) {
    if (of?.nodes !== undefined && nodes[of.nodes] === undefined) nodes[of.nodes] = object;
  }
  let worst = 0;
  let compared = 0;
  for (const [index, { poses }] of clips.entries()) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[index]);
    action.setLoop(THREE.LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
    for (const { secs, joints, vertices } of poses) {
      action.paused = false;
      mixer.setTime(secs);
      gltf.scene.updateMatrixWorld(true);
      for (const [joint, [x, y, z]] of joints.entries()) {
        const at = new THREE.Vector3().setFromMatrixPosition(nodes[joint].matrixWorld);
        worst = Math.max(worst, at.distanceTo(new THREE.Vector3(x, y, z)));
        compared += 1;
      }
      // Of the first mesh, as its morph targets have it.
      for (const [vertex, x, y, z] of vertices ?? []) {
        const at = nodes[0].getVertexPosition(vertex, new THREE.Vector3());
        worst = Math.max(worst, at.applyMatrix4(nodes[0].matrixWorld).distanceTo(new THREE.Vector3(x, y, z)));
        compared += 1;
      }
    }
    action.stop();
    mixer.uncacheRoot(gltf.scene);
  }
  return { clips: gltf.animations.map((it) => it.name), compared, worst_m: worst };
}

let text = "";
for await (const chunk of process.stdin) text += chunk;
const results = [];
for (const { path, clips } of JSON.parse(text)) {
  const bytes = new Uint8Array(await readFile(path));
  results.push({ path, ...(await validate(bytes)), ...(await compare(bytes, clips)) });
}
process.stdout.write(JSON.stringify(results));
