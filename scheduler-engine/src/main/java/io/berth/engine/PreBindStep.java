package io.berth.engine;

/**
 * Something that has to be done for a pod, and awaited, before its Binding is made. Doing it twice
 * is as good as once. It names the version of the object that the decision saw, so that nothing is
 * written over what has changed since; and it is run only in the term of the leader that decided.
 *
 * <p>Today: {@link io.berth.engine.volume.VolumeStep} and {@link TogetherStep}.
 */
public interface PreBindStep {}
