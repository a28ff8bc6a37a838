package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** An extended resource that an extender manages. */
@Part
public record ManagedResource(
    @JsonPropertyDescription("The name of the resource, such as example.com/gpu.")
        @Required
        @Size(min = 1, max = 317)
        String name,
    @JsonPropertyDescription(
            "Specifies whether NodeResourcesFit ignores this resource and leaves it to the"
                + " extender.")
        @Default("false")
        Boolean ignoredByScheduler) {

  public ManagedResource {
    ignoredByScheduler = Absent.orElse(ignoredByScheduler, false);
  }
}
