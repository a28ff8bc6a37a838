package io.berth.engine.model;

/**
 * A step that has to complete before the pod's Binding is sent. Steps are idempotent. A step names
 * the resourceVersion of the object that the decision was based on, so that later changes are never
 * overwritten. It runs only in the term of the leader that made the decision.
 *
 * <p>The steps are {@code VolumeStep} and {@code TogetherStep}.
 */
public interface PreBindStep {}
