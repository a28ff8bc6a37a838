package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.binding.Enforcement;
import io.berth.crds.binding.GroupRule;
import io.berth.crds.binding.PodOverrides;
import io.berth.crds.binding.Repair;
import io.berth.crds.binding.Rollout;
import io.berth.crds.schema.Absent;
import io.berth.crds.schema.DnsName;
import io.berth.crds.schema.Part;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An assignment of configs, with arguments, and a policy to pods. */
@ValidationRule(
    value =
        "has(self.schedulingPolicy) || has(self.group) || has(self.queue) || has(self.nodeConfigs)"
            + " && size(self.nodeConfigs) > 0 || has(self.podConfigs) && size(self.podConfigs) > 0",
    message =
        "set at least one of nodeConfigs, podConfigs, schedulingPolicy, group, and queue: this"
            + " binding has no effect")
@ValidationRule(
    value = "self.enforcement != 'DryRun' || self.repair != 'Recreate'",
    message = "a DryRun binding changes nothing: set repair to None, or enforcement to Enforce")
@Part
public record SchedulerConfigBindingSpec(
    @JsonPropertyDescription(
            "The priority of this binding. If several bindings of the same precedence select a pod,"
                + " the one with the highest priority wins, separately for each field.")
        @Min(-1000000)
        @Max(1000000)
        @Default("0")
        Integer priority,
    @JsonPropertyDescription(
            "A label query over the pods that this binding selects. If not specified or empty, it"
                + " selects all pods in the selected namespaces.")
        @Nullable LabelSelector podSelector,
    @JsonPropertyDescription(
            "A label query over the namespaces whose pods this binding selects. It is allowed only"
                + " in the operator's namespace; any other binding selects pods in its own"
                + " namespace.")
        @Nullable LabelSelector namespaceSelector,
    @JsonPropertyDescription("The NodeSchedulerConfigs to render into the pods, in this order.")
        @Size(max = 32)
        List<ConfigReference> nodeConfigs,
    @JsonPropertyDescription("The PodSchedulerConfigs to render into the pods, in this order.")
        @Size(max = 32)
        List<ConfigReference> podConfigs,
    @JsonPropertyDescription("The name of the SchedulingPolicy that schedules the pods.")
        @Size(min = 1, max = 253)
        @Pattern(DnsName.SUBDOMAIN)
        @Nullable String schedulingPolicy,
    @JsonPropertyDescription(
            "The schedulerName to set on pods that have none or have default-scheduler. Defaults to"
                + " berth if schedulingPolicy is set.")
        @Size(min = 1, max = 253)
        @Pattern(DnsName.SUBDOMAIN)
        @Nullable String schedulerName,
    @JsonPropertyDescription(
            "Specifies that the pods are scheduled in groups: either enough pods of a group are"
                + " placed together, or none are. It applies only to pods that Berth schedules.")
        @Nullable GroupRule group,
    @JsonPropertyDescription(
            "The name of the SchedulingQueue that the pods belong to. The queue has to admit their"
                + " namespace, and to have no parts.")
        @Size(min = 1, max = 63)
        @Pattern(DnsName.SUBDOMAIN)
        @Nullable String queue,
    @JsonPropertyDescription(
            "Specifies whether this binding changes pods. Enforce changes them. DryRun changes"
                + " nothing and reports in status.wouldChange the number of pods that would be"
                + " changed.")
        @Default("Enforce")
        Enforcement enforcement,
    @JsonPropertyDescription(
            "The share of the selected pods that this binding applies to. If not specified, it"
                + " applies to all of them.")
        @Nullable Rollout rollout,
    @JsonPropertyDescription(
            "Specifies whether annotations on a pod may override this binding: Allow or Deny.")
        @Default("Allow")
        PodOverrides podOverrides,
    @JsonPropertyDescription(
            "The action for pods that were admitted without this binding while the webhook was"
                + " unavailable. None only reports them. Recreate evicts them, one pod per owner at"
                + " a time, so that their controller recreates them.")
        @Default("None")
        Repair repair) {

  public SchedulerConfigBindingSpec {
    nodeConfigs = Absent.emptyIfNull(nodeConfigs);
    podConfigs = Absent.emptyIfNull(podConfigs);
    priority = Absent.orElse(priority, 0);
    enforcement = Absent.orElse(enforcement, Enforcement.ENFORCE);
    podOverrides = Absent.orElse(podOverrides, PodOverrides.ALLOW);
    repair = Absent.orElse(repair, Repair.NONE);
  }

  /** Returns the percentage of owners that this binding applies to, 0 to 100. */
  public int rolloutPercent() {
    return rollout == null ? 100 : rollout.percent();
  }
}
