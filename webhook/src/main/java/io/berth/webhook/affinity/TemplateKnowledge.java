package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.ParameterType;
import io.berth.rules.Knowledge;

/** The knowledge about a template before it is rendered for a pod. */
final class TemplateKnowledge implements Knowledge {

  @Override
  public boolean isKnown(JsonNode value) {
    return Tree.isKnown(value);
  }

  /** A list of arguments is spliced into the list it is in, and {@code $if} may drop an object. */
  @Override
  public boolean isOne(JsonNode item) {
    return !Tree.isUndetermined(item, ParameterType.STRING_LIST) && !Tree.isConditional(item);
  }

  @Override
  public boolean isField(String name) {
    return !name.equals(Tree.CONDITION);
  }
}
