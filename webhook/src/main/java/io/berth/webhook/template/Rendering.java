package io.berth.webhook.template;

/** The result of rendering a template for a pod. */
public sealed interface Rendering permits Rendered, RenderingRefused {}
