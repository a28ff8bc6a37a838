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
 * A set of scheduling algorithms with weights and arguments, which schedules the pods that name it.
 */
@Group("sched.cloud.ctrip.com")
@Version("v1")
@Kind("SchedulingPolicy")
@Singular("schedulingpolicy")
@Plural("schedulingpolicies")
@ShortNames("spol")
@Categories("sched")
@AdditionalPrinterColumn(
    name = "Default",
    jsonPath = ".spec.default",
    type = AdditionalPrinterColumn.Type.BOOLEAN)
@AdditionalPrinterColumn(
    name = "Pods",
    jsonPath = ".status.pods",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Serving",
    jsonPath = ".status.servingRevision",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Since",
    jsonPath = ".status.servingSince",
    type = AdditionalPrinterColumn.Type.DATE,
    priority = 1)
@AdditionalPrinterColumn(
    name = "Latest",
    jsonPath = ".status.latestRevision",
    type = AdditionalPrinterColumn.Type.STRING,
    priority = 1)
@AdditionalPrinterColumn(
    name = "Rollout",
    jsonPath = ".status.rollout.phase",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Step",
    jsonPath = ".status.rollout.progress",
    type = AdditionalPrinterColumn.Type.STRING)
public class SchedulingPolicy
    extends CustomResource<SchedulingPolicySpec, SchedulingPolicyStatus> {}
