package io.berth.crds.queue;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The namespaces whose pods belong to a queue, by name or by label selector. */
@ValidationRule(
    value = "has(self.names) && size(self.names) > 0 || has(self.selector)",
    message =
        "set names or selector, or remove namespaces: then no pods belong to the queue itself")
@Part
public record QueueNamespaces(
    @JsonPropertyDescription("Names of the namespaces whose pods belong to this queue.")
        @Size(max = 256)
        List<String> names,
    @JsonPropertyDescription(
            "A label query over namespaces. The pods of namespaces that match belong to this queue,"
                + " in addition to those of the namespaces in names.")
        @Nullable LabelSelector selector) {

  public QueueNamespaces {
    names = Absent.emptyIfNull(names);
  }
}
