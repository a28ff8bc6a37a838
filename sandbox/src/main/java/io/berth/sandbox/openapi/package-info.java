/**
 * Schemas of the resources, generated from the API types of the Kubernetes release and from
 * CustomResourceDefinitions, and the OpenAPI documents built from them.
 */
@NullMarked
package io.berth.sandbox.openapi;

import org.jspecify.annotations.NullMarked;
