package io.berth.engine.state;

/** The cluster as the engine knows it. */
public final class ClusterState {}
