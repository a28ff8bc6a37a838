package io.berth.webhook.validation;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.webhook.error.Problem;
import java.util.List;

/** Checks whether the engine can use a queue. */
@FunctionalInterface
public interface QueueValidator {

  /**
   * Returns all problems of a queue by itself; empty if it can be used.
   *
   * @param name the queue's name
   */
  List<Problem> validate(String name, SchedulingQueueSpec spec);
}
