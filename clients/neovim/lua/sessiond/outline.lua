--- The tree of a session, without the contents of entries.

local render = require("sessiond.render")

local M = {}

---@class sessiond.Outline
---@field roots string[]
---@field nodes table<string, sessiond.OutlineNode>
local Outline = {}
Outline.__index = Outline

---@param tree {roots: string[], nodes: sessiond.OutlineNode[]}
---@return sessiond.Outline
function M.new(tree)
  local nodes = {}
  for _, node in ipairs(tree.nodes) do
    nodes[node.id] = node
  end
  return setmetatable({ roots = tree.roots, nodes = nodes }, Outline)
end

--- Add the new ones among the consecutive entries of a branch.
---@param items sessiond.ViewItem[]
---@param above? string the entry before the first
function Outline:add(items, above)
  for _, item in ipairs(items) do
    local id = item.entryId
    if not self.nodes[id] then
      local parent = self.nodes[above]
      table.insert(parent and parent.children or self.roots, id)
      self.nodes[id] = { id = id, parentId = above, children = {}, type = item.type, role = item.role }
    end
    above = id
  end
end

---@return boolean
function Outline:has(id)
  return self.nodes[id] ~= nil
end

--- Return the last entry of the branch through an entry. Where it forks, follow the latest branch.
---@param id string
---@return string
function Outline:tip_of(id)
  local seen = {}
  while not seen[id] do
    seen[id] = true
    local children = self.nodes[id] and self.nodes[id].children or {}
    id = children[#children] or id
  end
  return id
end

--- Return the ids from an entry up to its root.
---@param id? string
---@return table<string, true>
function Outline:path_to(id)
  local path = {}
  while id and self.nodes[id] and not path[id] do
    path[id] = true
    id = self.nodes[id].parentId
  end
  return path
end

--- Return the beginning of the first user message.
---@return string?
function Outline:first_message()
  for _, row in ipairs(self:rows(50)) do
    if row.node.role == "user" and render.one_line(row.node.preview) ~= "" then
      return row.node.preview
    end
  end
end

---@class sessiond.Row
---@field node sessiond.OutlineNode
---@field guides string lines of the tree drawn before it
---@field depth integer number of forks above it
---@field first boolean whether it is the first entry of a branch

--- Return the nodes in the order in which they are shown. Only forks are indented, so that a long
--- conversation stays at the margin.
---@param limit? integer
---@return sessiond.Row[]
function Outline:rows(limit)
  local rows, stack, seen = {}, {}, {}
  local function push(ids, guides, depth)
    local branching = #ids > 1
    for index = #ids, 1, -1 do
      local last = index == #ids
      table.insert(stack, {
        id = ids[index],
        guides = branching and guides .. (last and "└─ " or "├─ ") or guides,
        below = branching and guides .. (last and "   " or "│  ") or guides,
        depth = branching and depth + 1 or depth,
        first = branching,
      })
    end
  end
  push(self.roots, "", 0)
  while #stack > 0 and (not limit or #rows < limit) do
    local item = table.remove(stack)
    local node = self.nodes[item.id]
    if node and not seen[item.id] then
      seen[item.id] = true
      table.insert(rows, {
        node = node,
        guides = item.guides,
        depth = item.depth,
        first = item.first,
      })
      push(node.children, item.below, item.depth)
    end
  end
  return rows
end

return M
