package io.berth.webhook.binding;

/** The object at the root of a pod: the one that a user wrote, and that all else was made for. */
public record Owner(String kind, String name) {}
