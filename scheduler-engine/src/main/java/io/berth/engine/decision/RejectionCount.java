package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;

/** How many nodes a plugin rejected with a verdict. */
public record RejectionCount(String plugin, Verdict verdict, int nodes) {}
