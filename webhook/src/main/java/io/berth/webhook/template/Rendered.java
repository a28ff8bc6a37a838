package io.berth.webhook.template;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The rendered result of a template, which the API server accepts.
 *
 * @param fields the rendered fields of the spec, such as {@code nodeAffinity}, without those that
 *     {@code $if} dropped. Constant parts are shared with the template, so the tree must not be
 *     modified
 */
public record Rendered(ObjectNode fields) implements Rendering {}
