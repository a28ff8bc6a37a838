package io.berth.sandbox.rest;

import io.berth.sandbox.admission.AdmissionChain;
import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.openapi.FieldCheck;
import io.berth.sandbox.openapi.SchemaCatalog;
import io.berth.sandbox.patch.PatchApplier;
import io.berth.sandbox.patch.ServerSideApply;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectStore;
import java.time.Clock;
import java.util.function.Function;

/**
 * The dependencies of the REST operations.
 *
 * @param store the object store
 * @param registry the served resources
 * @param schemas the schemas of all kinds
 * @param fieldCheck the field checks of built-in kinds
 * @param kinds returns the rules of a built-in kind
 * @param patcher all patch types except apply
 * @param apply server-side apply and field ownership
 * @param admission admission plugins and webhooks
 * @param customResources the served custom resources and their schemas
 * @param clock the clock for timestamps
 * @param version the Kubernetes version that the server emulates
 */
public record RestParts(
    ObjectStore store,
    ResourceRegistry registry,
    SchemaCatalog schemas,
    FieldCheck fieldCheck,
    Function<ResourceType, KindRules> kinds,
    PatchApplier patcher,
    ServerSideApply apply,
    AdmissionChain admission,
    CustomResources customResources,
    Clock clock,
    KubernetesVersion version) {}
