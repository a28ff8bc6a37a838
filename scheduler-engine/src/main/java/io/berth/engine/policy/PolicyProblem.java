package io.berth.engine.policy;

/**
 * A reason why a policy cannot be compiled.
 *
 * @param path the field, such as {@code spec.priorities[2].args.packAbove}
 * @param message what is wrong and what is accepted
 */
public record PolicyProblem(String path, String message) {}
