package io.berth.webhook.binding;

import io.berth.webhook.template.Compilation;
import io.berth.webhook.template.TemplateKind;

/**
 * A NodeSchedulerConfig or PodSchedulerConfig in the catalog.
 *
 * @param revision its generation, as written to statuses and to the annotation {@code applied} of
 *     pods
 * @param compilation its compiled templates, or their problems
 */
public record ServedConfig(
    TemplateKind kind,
    String name,
    String revision,
    Compilation compilation,
    NamespaceRule allowedNamespaces) {}
