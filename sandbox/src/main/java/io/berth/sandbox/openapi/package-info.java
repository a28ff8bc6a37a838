/**
 * Schemas of the resources, generated from the model classes and from CustomResourceDefinitions,
 * and the OpenAPI documents made of them.
 */
@NullMarked
package io.berth.sandbox.openapi;

import org.jspecify.annotations.NullMarked;
