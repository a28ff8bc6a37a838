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

/** A queue of tenants, with a guarantee, a limit, and a share of what is left over. */
@Group("sched.cloud.ctrip.com")
@Version("v1")
@Kind("SchedulingQueue")
@Singular("schedulingqueue")
@Plural("schedulingqueues")
@ShortNames("sq")
@Categories("sched")
@AdditionalPrinterColumn(
    name = "Parent",
    jsonPath = ".spec.parent",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Pods",
    jsonPath = ".status.pods",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Pending",
    jsonPath = ".status.pendingPods",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Guaranteed",
    jsonPath = ".status.guaranteeMet",
    type = AdditionalPrinterColumn.Type.BOOLEAN)
@AdditionalPrinterColumn(
    name = "Waits",
    jsonPath = ".status.firstWaits",
    type = AdditionalPrinterColumn.Type.STRING,
    priority = 1)
public class SchedulingQueue extends CustomResource<SchedulingQueueSpec, SchedulingQueueStatus> {}
