package io.berth.crds;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * An assignment of configs with arguments, and of a SchedulingPolicy, to the pods that it selects.
 */
@Group("sched.cloud.ctrip.com")
@Version("v1")
@Kind("SchedulerConfigBinding")
@Singular("schedulerconfigbinding")
@Plural("schedulerconfigbindings")
@ShortNames("scb")
@Categories("sched")
@AdditionalPrinterColumn(
    name = "Pods",
    jsonPath = ".status.matchedPods",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Policy",
    jsonPath = ".spec.schedulingPolicy",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Enforcement",
    jsonPath = ".spec.enforcement",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Priority",
    jsonPath = ".spec.priority",
    type = AdditionalPrinterColumn.Type.INTEGER,
    priority = 1)
@AdditionalPrinterColumn(
    name = "WouldChange",
    jsonPath = ".status.wouldChange",
    type = AdditionalPrinterColumn.Type.INTEGER,
    priority = 1)
public class SchedulerConfigBinding
    extends CustomResource<SchedulerConfigBindingSpec, SchedulerConfigBindingStatus>
    implements Namespaced {}
