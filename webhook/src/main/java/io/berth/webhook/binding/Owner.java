package io.berth.webhook.binding;

/**
 * The root owner of a pod: the object that a user created, such as a Deployment, from which
 * controllers derived the pod.
 */
public record Owner(String kind, String name) {}
