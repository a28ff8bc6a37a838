package io.berth.webhook.template;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A template's result, valid for the API server.
 *
 * @param fields the templated fields of the spec that the config has and {@code $if} did not drop,
 *     such as {@code nodeAffinity}. Constant parts are shared with the template: read it, copy what
 *     is to be changed
 */
public record Rendered(ObjectNode fields) implements Rendering {}
