package io.berth.operator.gpu;

import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;

/** A pre-bind step that locks a node, which tells the GPU agent the pod that it serves next. */
public record NodeLockStep(PodRef pod, String nodeName) implements PreBindStep {}
