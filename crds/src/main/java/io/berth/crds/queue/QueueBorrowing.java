package io.berth.crds.queue;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;

/** The rules for pods of a queue that its guarantee does not cover. */
@Part
public record QueueBorrowing(
    @JsonPropertyDescription(
            "Whether cluster autoscalers are asked for nodes for pods that the guarantee of this"
                + " queue does not cover. If false, these pods wait for room on the nodes that"
                + " exist, with the reason HeldByQueue. It holds for the parts of this queue, too.")
        @Default("true")
        Boolean scaleUp) {

  /** The rules of a queue that says nothing about them. */
  public static final QueueBorrowing DEFAULTS = new QueueBorrowing(true);

  public QueueBorrowing {
    scaleUp = Absent.orElse(scaleUp, true);
  }
}
