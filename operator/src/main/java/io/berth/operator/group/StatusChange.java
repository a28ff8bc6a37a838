package io.berth.operator.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A change of an object's status.
 *
 * @param fields the fields of the status that change, each with its complete new value
 * @param urgent whether the change is more than a different wording
 * @param news the event to record for the object; empty if there is none
 */
record StatusChange(ObjectNode fields, boolean urgent, Optional<News> news) {

  /**
   * An event to record.
   *
   * @param reason one CamelCase word
   */
  record News(boolean warning, String reason, String note) {}
}
