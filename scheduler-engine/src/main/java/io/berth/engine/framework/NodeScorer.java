package io.berth.engine.framework;

/** One scorer's answers for pods of one shape, for every node, remembered between pods. */
public abstract class NodeScorer {}
