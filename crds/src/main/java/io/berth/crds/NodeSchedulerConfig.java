package io.berth.crds;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * A template of a node affinity and tolerations, rendered into pods that reference it by annotation
 * or through a binding.
 */
@Group("sched.cloud.ctrip.com")
@Version("v1")
@Kind("NodeSchedulerConfig")
@Singular("nodeschedulerconfig")
@Plural("nodeschedulerconfigs")
@ShortNames("nsc")
@Categories("sched")
@AdditionalPrinterColumn(
    name = "Bindings",
    jsonPath = ".status.bindings",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Pods",
    jsonPath = ".status.pods",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Revision",
    jsonPath = ".status.revision",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Rollout",
    jsonPath = ".status.rollout.phase",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Step",
    jsonPath = ".status.rollout.progress",
    type = AdditionalPrinterColumn.Type.STRING)
public class NodeSchedulerConfig extends CustomResource<NodeSchedulerConfigSpec, ConfigStatus> {}
