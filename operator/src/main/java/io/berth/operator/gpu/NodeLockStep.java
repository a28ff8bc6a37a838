package io.berth.operator.gpu;

import io.berth.engine.PodRef;
import io.berth.engine.PreBindStep;

/** The lock of a node, by which the agent of its cards finds the pod that it serves next. */
public record NodeLockStep(PodRef pod, String nodeName) implements PreBindStep {}
