package io.berth.webhook.binding;

import io.berth.webhook.template.Compilation;
import io.berth.webhook.template.TemplateKind;

/**
 * A NodeSchedulerConfig or PodSchedulerConfig of the catalog.
 *
 * @param revision what status and the pods' {@code applied} annotation call this state of it: its
 *     generation
 * @param compilation its templates, or what is wrong with them
 */
public record ServedConfig(
    TemplateKind kind,
    String name,
    String revision,
    Compilation compilation,
    NamespaceRule allowedNamespaces) {}
