// From surface to colour: a studio, and Phong's model as published.

fn filmic(x: vec3f) -> vec3f {
    // Narkowicz's fit of the ACES curve (2015).
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), vec3f(0.0), vec3f(1.0));
}

// I = ka + visible · kd (L·N) + visible · ks (R·V)^n + ke, per light.
fn phong(normal: vec3f, view: vec3f, colour: vec3f, visible: f32) -> vec3f {
    var sum = globals.ambient.rgb + globals.emissive.rgb;
    sum += phong_light(globals.key_towards.xyz, globals.key_colour.rgb, normal, view, colour) * visible;
    sum += phong_light(globals.fill_towards.xyz, globals.fill_colour.rgb, normal, view, colour);
    return sum;
}

fn phong_light(towards: vec3f, light: vec3f, normal: vec3f, view: vec3f, colour: vec3f) -> vec3f {
    let facing = dot(normal, towards);
    if facing <= 0.0 {
        return vec3f(0.0);
    }
    var mirror = dot(reflect(-towards, normal), view);
    if SHADING == 2u {
        mirror = dot(normal, normalize(towards + view));
    }
    let highlight = pow(max(mirror, 0.0), globals.specular.w);
    return light * (globals.diffuse.rgb * colour * facing + globals.specular.rgb * highlight);
}

fn studio(normal: vec3f, view: vec3f, albedo: vec3f, visible: f32, open: f32) -> vec3f {
    let key = globals.key_towards.xyz;
    let facing = dot(normal, key);
    let lit = max(facing, 0.0) * visible;
    // Wrapped past the terminator, as from a large soft source.
    let fill = max(dot(normal, globals.fill_towards.xyz) * 0.7 + 0.3, 0.0) * open;
    let up = normal.y * 0.5 + 0.5;
    let around = mix(globals.bounce_light.rgb, globals.sky_light.rgb, up) * open;
    var colour = albedo * (globals.key_colour.rgb * lit + globals.fill_colour.rgb * fill + around);
    // Grazing reflection of the sky, after Schlick with a power of 4 for his 5:
    // two products instead of `pow`.
    let edge = 1.0 - clamp(dot(normal, view), 0.0, 1.0);
    let edge2 = edge * edge;
    let rim = edge2 * edge2 * (0.35 + 0.65 * up) * open;
    colour += globals.sky_light.rgb * rim * 0.55;
    let half = normalize(key + view);
    let gloss = max(dot(normal, half), 0.0);
    let gloss4 = gloss * gloss * gloss * gloss;
    let gloss16 = gloss4 * gloss4 * gloss4 * gloss4;
    colour += globals.key_colour.rgb * (0.035 * gloss16 * lit);
    // The fit leaves out the exposure of ACES, for which its author gives 0.6.
    return filmic(colour * 0.62);
}

fn surface_colour(world: vec3f, normal: vec3f, albedo: vec3f, visible: f32, open: f32) -> vec3f {
    let view = normalize(globals.eye.xyz - world);
    if SHADING != 0u {
        return phong(normal, view, albedo / max(globals.skin.rgb, vec3f(1e-3)), visible);
    }
    return studio(normal, view, albedo, visible, open);
}
