package io.berth.operator.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A status that an object should have in place of its own.
 *
 * @param fields the fields of the status that change, each as a whole
 * @param urgent whether it says something else than before, rather than the same in other words
 * @param news the event to record for the object; empty if there is none
 */
record StatusChange(ObjectNode fields, boolean urgent, Optional<News> news) {

  /**
   * An event.
   *
   * @param reason one CamelCase word
   */
  record News(boolean warning, String reason, String note) {}
}
