package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/** PriorityClasses that only namespaces with a quota for them may use. */
@Part
public record QuotaGuard(
    @JsonPropertyDescription(
            "The names of the guarded PriorityClasses. The webhook rejects a pod with one of these"
                + " classes, regardless of its policy, unless its namespace has a ResourceQuota"
                + " that is scoped to the class.")
        @Size(min = 1, max = 64)
        List<String> priorityClasses) {

  public QuotaGuard {
    priorityClasses = Absent.emptyIfNull(priorityClasses);
  }
}
