package io.berth.engine.policy;

/**
 * A reason for which a policy cannot be compiled.
 *
 * @param path the field, as {@code spec.priorities[2].args.packAbove}
 * @param message what is wrong and what would be accepted
 */
public record PolicyProblem(String path, String message) {}
