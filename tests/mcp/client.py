"""The official client of Python against `podsieve mcp`. In: PODSIEVE, the program. Run by `cargo xtask test mcp`."""

import asyncio
import os
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {hostNetwork: true, containers: [{name: a, image: b}]}}"


async def main(folder):
    server = StdioServerParameters(command=os.environ["PODSIEVE"], args=["mcp"], cwd=folder)
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert "advise" in names and len(names) == 9, names
        answer = await session.call_tool("advise", {"resources": [{"text": POD}]})
        content = answer.structured_content
        assert content["objects"] == [{"reaches": "privileged", "resource": "Pod default/web"}], content
        refused = await session.call_tool("check", {"policies": ["../x.yaml"]})
        assert refused.is_error, refused
    print("ok: the client of Python lists and calls tools")


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
