package io.berth.engine;

/**
 * An object that the engine would not take in; what it knew of it before still holds.
 *
 * @param name with the namespace where there is one
 * @param reason what is wrong, where in the object, and what was expected
 */
public record Refusal(String kind, String name, String reason) {}
