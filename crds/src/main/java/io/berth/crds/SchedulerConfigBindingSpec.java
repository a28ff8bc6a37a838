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
        "has(self.schedulingPolicy) || has(self.group) || has(self.nodeConfigs) &&"
            + " size(self.nodeConfigs) > 0 || has(self.podConfigs) && size(self.podConfigs) > 0",
    message =
        "name at least one of nodeConfigs, podConfigs, schedulingPolicy and group: this binding"
            + " binds nothing")
@ValidationRule(
    value = "self.enforcement != 'DryRun' || self.repair != 'Recreate'",
    message = "a DryRun binding changes nothing: set repair to None, or enforcement to Enforce")
@Part
public record SchedulerConfigBindingSpec(
    @JsonPropertyDescription(
            "Where several bindings of the same standing reach a pod, the one with the greater"
                + " number wins, field by field.")
        @Min(-1000000)
        @Max(1000000)
        @Default("0")
        Integer priority,
    @JsonPropertyDescription(
            "The pods that this binding reaches, by their labels. Absent or empty: all pods of the"
                + " namespaces it reaches.")
        @Nullable LabelSelector podSelector,
    @JsonPropertyDescription(
            "The namespaces that this binding reaches, by their labels. Only a binding in the"
                + " operator's namespace may have one; any other reaches its own namespace.")
        @Nullable LabelSelector namespaceSelector,
    @JsonPropertyDescription("NodeSchedulerConfigs to render into the pods, in this order.")
        @Size(max = 32)
        List<ConfigReference> nodeConfigs,
    @JsonPropertyDescription("PodSchedulerConfigs to render into the pods, in this order.")
        @Size(max = 32)
        List<ConfigReference> podConfigs,
    @JsonPropertyDescription("Name of the SchedulingPolicy that places the pods.")
        @Size(min = 1, max = 253)
        @Pattern(DnsName.SUBDOMAIN)
        @Nullable String schedulingPolicy,
    @JsonPropertyDescription(
            "The scheduler that the pods are given, where they name none or default-scheduler."
                + " Absent: berth, where a schedulingPolicy is named.")
        @Size(min = 1, max = 253)
        @Pattern(DnsName.SUBDOMAIN)
        @Nullable String schedulerName,
    @JsonPropertyDescription(
            "The pods are placed in groups: enough of a group's pods get a node in one step, or"
                + " none does. It has an effect on pods that Berth places.")
        @Nullable GroupRule group,
    @JsonPropertyDescription(
            "Enforce changes pods. DryRun changes nothing and counts in status.wouldChange what"
                + " would be changed.")
        @Default("Enforce")
        Enforcement enforcement,
    @JsonPropertyDescription("The part of the pods that this binding reaches already. Absent: all.")
        @Nullable Rollout rollout,
    @JsonPropertyDescription(
            "Whether annotations on a pod replace what this binding says (Allow) or not (Deny).")
        @Default("Allow")
        PodOverrides podOverrides,
    @JsonPropertyDescription(
            "What to do with pods that were admitted without this binding while the webhook was"
                + " down: None reports them, Recreate evicts them, one an owner at a time, so that"
                + " their controller creates them again.")
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

  /** The share of owners that this binding reaches, 0 to 100. */
  public int rolloutPercent() {
    return rollout == null ? 100 : rollout.percent();
  }
}
