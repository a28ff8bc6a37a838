package io.berth.engine.whatif;

import io.berth.engine.model.PodModel;
import java.util.function.Function;

/**
 * A question about what would change if something else were rendered into pods when they are
 * created.
 *
 * @param namespace the namespace whose pods are tried; empty for all namespaces
 * @param changes returns what the change means for a pod
 */
public record RenderingQuestion(String namespace, Function<PodModel, PodChange> changes)
    implements ChangeQuestion {}
