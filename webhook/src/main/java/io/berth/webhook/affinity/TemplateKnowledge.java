package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.ParameterType;
import io.berth.rules.Knowledge;

/** The knowledge about a rendered template in which values may be undetermined. */
final class TemplateKnowledge implements Knowledge {

  @Override
  public boolean isKnown(JsonNode value) {
    return Tree.isKnown(value);
  }

  /**
   * Returns false for a list argument, which is spliced into the list that contains it, and for an
   * object that {@code $if} may drop.
   */
  @Override
  public boolean isOne(JsonNode item) {
    return !Tree.isUndetermined(item, ParameterType.STRING_LIST) && !Tree.isConditional(item);
  }

  @Override
  public boolean isField(String name) {
    return !name.equals(Tree.CONDITION);
  }
}
